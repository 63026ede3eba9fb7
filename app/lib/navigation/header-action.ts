/** The element of the header in which a screen shows a button of its own. */
export const HEADER_ACTION_ID = 'header-action';

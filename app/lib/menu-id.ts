/** The popover that the header's Menu button opens. */
export const MENU_ID = 'main-menu';

export const ACTIVITY_PAGE_SIZE = 30;
export const ACTIVITY_PAGE_SIZE_MAX = 100;

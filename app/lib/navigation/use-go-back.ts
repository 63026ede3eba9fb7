import { useNavigate } from 'react-router-dom';
import { paths } from '#app/paths.ts';

/** Returns a function that goes one screen back, or to the polls if this was the first screen. */
export function useGoBack(): () => void {
  const navigate = useNavigate();
  // `idx` is the router's number of an entry in the browser's history; the first screen has 0.
  return () => (window.history.state?.idx > 0 ? navigate(-1) : navigate(paths.home.href()));
}

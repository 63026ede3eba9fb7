import { useNavigate } from 'react-router-dom';
import { paths } from '#app/paths.ts';

/** Returns a function that goes one screen back, or to the polls if this was the first screen. */
export function useGoBack(): () => void {
  const navigate = useNavigate();
  return () => (window.history.state?.idx > 0 ? navigate(-1) : navigate(paths.home.href()));
}

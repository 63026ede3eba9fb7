/**
 * The browser that WebKitWebDriver drives, run by GJS: one window of WebKitGTK, whose profile folder is the argument. The
 * driver's own MiniBrowser is not used because it has no persistent profile under automation.
 */
import Gtk from 'gi://Gtk?version=3.0';
import WebKit from 'gi://WebKit2?version=4.1';
import { programArgs } from 'system';

Gtk.init(null);
const [profile] = programArgs;
const context = new WebKit.WebContext({
  website_data_manager: new WebKit.WebsiteDataManager({
    base_data_directory: `${profile}/data`,
    base_cache_directory: `${profile}/cache`,
  }),
});
context
  .get_cookie_manager()
  .set_persistent_storage(`${profile}/cookies.sqlite`, WebKit.CookiePersistentStorage.SQLITE);
context.set_automation_allowed(true);
context.connect('automation-started', (_context, session) => {
  const info = new WebKit.ApplicationInfo();
  info.set_name('WebKitGTK');
  info.set_version(WebKit.get_major_version(), WebKit.get_minor_version(), WebKit.get_micro_version());
  session.set_application_info(info);
  session.connect('create-web-view', () => {
    const view = new WebKit.WebView({
      web_context: context,
      is_controlled_by_automation: true,
      settings: new WebKit.Settings({ enable_write_console_messages_to_stdout: true }),
    });
    const window = new Gtk.Window({ default_width: 375, default_height: 812 });
    view.connect('close', () => window.destroy());
    window.connect('destroy', () => Gtk.main_quit());
    window.add(view);
    window.show_all();
    return view;
  });
});
Gtk.main();

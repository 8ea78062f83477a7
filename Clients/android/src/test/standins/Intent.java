package android.content;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public class Intent {
    public static final String ACTION_MAIN = "android.intent.action.MAIN";
    public static final String CATEGORY_LAUNCHER = "android.intent.category.LAUNCHER";
    public static final int FLAG_ACTIVITY_NEW_TASK = 0x10000000;

    /** For tests: what WeChat put into it. */
    public Object content;
    public String action;
    public String wantedPackage;
    public String category;

    public Intent() {}

    public Intent(String action) { this.action = action; }

    public Intent addCategory(String category) {
        this.category = category;
        return this;
    }

    public Intent setPackage(String packageName) {
        wantedPackage = packageName;
        return this;
    }

    public Intent addFlags(int flags) { return this; }
}

package android.os;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public class Bundle {}

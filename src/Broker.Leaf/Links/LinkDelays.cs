namespace Broker.Leaf;

/// <summary>The delays between attempts to connect.</summary>
internal static class LinkDelays
{
    private static readonly TimeSpan MaxJitter = TimeSpan.FromSeconds(1);

    // These errors do not go away by themselves.
    private static readonly TimeSpan AfterConflict = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan AfterOldVersion = TimeSpan.FromSeconds(5);

    /// <summary>Returns the delay before the next attempt.</summary>
    /// <param name="reconnect">The usual delay.</param>
    /// <param name="reason">Why the last attempt or connection ended.</param>
    internal static TimeSpan After(TimeSpan reconnect, string reason)
    {
        if (Has(reason, "Loop detected") || Has(reason, "Permissions Violation") || Has(reason, "cluster name") || Has(reason, "same cluster"))
        {
            return AfterConflict;
        }

        TimeSpan delay = Has(reason, "minimum version") ? AfterOldVersion : reconnect;
        return delay + (MaxJitter * Random.Shared.NextDouble());
    }

    private static bool Has(string reason, string text) => reason.Contains(text, StringComparison.OrdinalIgnoreCase);
}

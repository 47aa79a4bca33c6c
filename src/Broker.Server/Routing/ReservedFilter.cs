namespace Broker.Server;

/// <summary>
/// Marks the subjects of a filter as reserved. It is in the trie like a subscription, so the search for the subscribers
/// of a subject finds it without further work, and routes expire when it is added or removed.
/// </summary>
internal sealed class ReservedFilter(byte[] filter) : Subscription(null, filter, null, "0"u8)
{
    internal override bool IsInternal => true;
}

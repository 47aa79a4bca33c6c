namespace Broker.Server;

/// <summary>
/// Marks the subjects of a filter as reserved. The mark is in the trie like a subscription. So the search for the
/// subscribers of a subject also finds the mark, and routes expire when the mark is added or removed.
/// </summary>
internal sealed class ReservedFilter(byte[] filter) : Subscription(null, filter, null, "0"u8)
{
    internal override bool IsInternal => true;
}

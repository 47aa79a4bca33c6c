namespace Broker.Server;

/// <summary>
/// A search that was interrupted because it has used up its share of work. <see cref="SubscriptionTrie"/> can continue
/// the search, even if subscriptions have changed meanwhile. Guarded by the router's lock.
/// </summary>
/// <param name="found">The subscriptions that were found so far.</param>
/// <param name="pending">
/// The entries that are not visited yet, each with the position of the subject's next token.
/// </param>
/// <param name="changes">The number of changes of the trie when the search began.</param>
internal sealed class InterruptedMatch(List<Subscription> found, Stack<(TokenEntry Entry, int Position)> pending, long changes)
{
    internal List<Subscription> Found => found;

    internal Stack<(TokenEntry Entry, int Position)> Pending => pending;

    internal long Changes => changes;
}

namespace Broker.Server;

/// <summary>
/// A match that has used up its share of work. <see cref="SubscriptionTrie"/> continues it, also if subscriptions have
/// changed meanwhile. Guarded by the router's lock.
/// </summary>
/// <param name="found">The subscriptions that were found so far.</param>
/// <param name="pending">What has still to be visited, each with the position of the subject's next token.</param>
/// <param name="changes">The number of changes of the trie when the match began.</param>
internal sealed class InterruptedMatch(List<Subscription> found, Stack<(TokenEntry Entry, int Position)> pending, long changes)
{
    internal List<Subscription> Found => found;

    internal Stack<(TokenEntry Entry, int Position)> Pending => pending;

    internal long Changes => changes;
}

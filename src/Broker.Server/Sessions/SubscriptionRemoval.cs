namespace Broker.Server;

/// <summary>
/// Removes all subscriptions of a client in steps, so that a client with a hundred thousand subscriptions does not
/// block the loop.
/// </summary>
/// <param name="account">The account of the subscriptions.</param>
/// <param name="all">The subscriptions. Nothing is added to this table any more.</param>
/// <param name="budget">The budget that counts the subscriptions; null for no budget.</param>
internal sealed class SubscriptionRemoval(Account account, SubscriptionsBySid all, ByteBudget? budget)
{
    /// <summary>
    /// The work that is charged for one subscription in addition to the affected routes, in visited router entries.
    /// </summary>
    internal const int WorkPerSubscription = 16;

    private const int SlotsPerStep = 16;

    private readonly List<Subscription> _some = [];
    private int _slot;

    /// <summary>Whether all subscriptions have been removed.</summary>
    internal bool IsComplete { get; private set; }

    /// <summary>
    /// Removes further subscriptions, until the work reaches <paramref name="maxWork"/> or all subscriptions are
    /// removed. Returns the work, which may slightly exceed <paramref name="maxWork"/>.
    /// </summary>
    internal long Advance(long maxWork)
    {
        long done = 0;
        while (!IsComplete && done < maxWork)
        {
            _some.Clear();
            IsComplete = all.Copy(_some, ref _slot, SlotsPerStep);
            foreach (Subscription subscription in _some)
            {
                done += WorkPerSubscription;
                account.Remove(subscription, ref done);
                budget?.Add(-SubscriptionLimits.Measure(subscription));
            }
        }

        return done;
    }
}

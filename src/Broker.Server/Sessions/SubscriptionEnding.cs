namespace Broker.Server;

/// <summary>
/// Removes all subscriptions of a client in steps, so that a client with a hundred thousand does not block the loop.
/// </summary>
/// <param name="account">The account of the subscriptions.</param>
/// <param name="all">The subscriptions. Nothing is added to this table any more.</param>
internal sealed class SubscriptionEnding(Account account, SubscriptionsBySid all)
{
    /// <summary>
    /// The work that is charged for one subscription in addition to the affected routes, in the unit of visited router
    /// entries.
    /// </summary>
    internal const int StepsOfOne = 16;

    private const int SlotsAtOnce = 16;

    private readonly List<Subscription> _some = [];
    private int _slot;

    /// <summary>Whether all subscriptions have been removed.</summary>
    internal bool IsOver { get; private set; }

    /// <summary>
    /// Removes further subscriptions and returns the work done. It stops at <paramref name="most"/> or slightly above,
    /// or when all are removed.
    /// </summary>
    internal long Advance(long most)
    {
        long done = 0;
        while (!IsOver && done < most)
        {
            _some.Clear();
            IsOver = all.Copy(_some, ref _slot, SlotsAtOnce);
            foreach (Subscription subscription in _some)
            {
                done += StepsOfOne;
                account.Remove(subscription, ref done);
            }
        }

        return done;
    }
}

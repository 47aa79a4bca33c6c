using Broker.Server.Accounts;
using Broker.Server.Routing;

namespace Broker.Server.Sessions;

/// <summary>The end of all that a client had subscribed to, by steps: who had a hundred thousand must not keep the loop.</summary>
/// <param name="account">Where the client was.</param>
/// <param name="all">Nothing is added to these any more.</param>
internal sealed class SubscriptionEnding(Account account, SubscriptionTable all)
{
    /// <summary>What one costs beside the routes that it concerns, in places looked at.</summary>
    internal const int StepsOfOne = 16;

    private const int SlotsAtOnce = 16;

    private readonly List<Subscription> _some = [];
    private int _slot;

    /// <summary>Whether all have ended.</summary>
    internal bool IsOver { get; private set; }

    /// <summary>Ends more of them. Returns how much it has done, which is <paramref name="most"/> or a little more unless it is over then.</summary>
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

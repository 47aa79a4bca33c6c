using Broker.Transport;

namespace Broker.Server.Sessions;

/// <summary>
/// What clients of one loop had subscribed to who have gone. Nobody is sent anything for it any more, so that there is no haste: a turn
/// does a part of it, however many have gone at once. On the loop.
/// </summary>
internal sealed class SubscriptionEndings(EventLoop loop)
{
    /// <summary>How much a turn does, in places looked at: well under a millisecond.</summary>
    internal const long StepsOfTurn = 16 * 1024;

    private readonly Queue<SubscriptionEnding> _left = new();
    private long _stepsLeft = StepsOfTurn;

    /// <summary>Ends a little at once, if there has not been too much of that, and else later.</summary>
    internal void Add(SubscriptionEnding ending)
    {
        if (_left.Count == 0)
        {
            _stepsLeft -= ending.Advance(_stepsLeft);
        }

        if (!ending.IsOver)
        {
            _left.Enqueue(ending);
            if (_left.Count == 1)
            {
                loop.Post(Advance);
            }
        }
    }

    private void Advance()
    {
        _stepsLeft = StepsOfTurn;
        while (_stepsLeft > 0 && _left.TryPeek(out SubscriptionEnding? ending))
        {
            _stepsLeft -= ending.Advance(_stepsLeft);
            if (ending.IsOver)
            {
                _left.Dequeue();
            }
        }

        if (_left.Count != 0)
        {
            loop.Post(Advance);
        }
    }
}

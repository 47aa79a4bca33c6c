using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// The queue that removes the subscriptions of the closed clients of one loop. They receive no messages any more, so
/// this is not urgent: each iteration of the loop removes a limited part, even if many clients disconnect at once. Runs
/// on the loop.
/// </summary>
internal sealed class SubscriptionEndings(EventLoop loop)
{
    /// <summary>
    /// The limit of work in one iteration, in the unit of visited router entries. It takes well under a millisecond.
    /// </summary>
    internal const long StepsOfTurn = 16 * 1024;

    private readonly Queue<SubscriptionEnding> _left = new();
    private long _stepsLeft = StepsOfTurn;

    /// <summary>
    /// Adds subscriptions to remove. Removes a part at once if the limit of this iteration permits, and the rest later.
    /// </summary>
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

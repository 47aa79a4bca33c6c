using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// The publishers of one loop with a message that goes to so many subscribers that it is delivered in shares. Each
/// iteration of the loop delivers one share, of one publisher after the other.
/// </summary>
internal sealed class PendingPublishers
{
    private readonly Queue<RoutingPublisher> _publishers = new();
    private Action? _advance;
    private bool _isPosted;

    internal void Add(RoutingPublisher publisher)
    {
        _publishers.Enqueue(publisher);
        Post(publisher.Loop);
    }

    private void Post(EventLoop loop)
    {
        if (!_isPosted)
        {
            _isPosted = true;
            loop.PostAfterFlush(_advance ??= Advance);
        }
    }

    private void Advance()
    {
        _isPosted = false;
        EventLoop loop = _publishers.Peek().Loop;
        _publishers.Peek().BeginShare();
        bool hasBudget = true;
        try
        {
            while (hasBudget && _publishers.TryDequeue(out RoutingPublisher? publisher))
            {
                if (!publisher.TryDeliverPending())
                {
                    _publishers.Enqueue(publisher);
                }

                hasBudget = !publisher.IsOverBudget;
            }
        }
        finally
        {
            if (_publishers.Count != 0)
            {
                Post(loop);
            }
        }
    }
}

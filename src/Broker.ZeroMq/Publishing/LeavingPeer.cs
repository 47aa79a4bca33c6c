using Broker.Transport;
using Broker.ZeroMq.Zmtp.Subscriptions;

namespace Broker.ZeroMq.Publishing;

/// <summary>
/// Takes back what a peer that is gone had subscribed to, some at a time: a peer may have had very many, and its loop has others to
/// serve. On the peer's loop.
/// </summary>
internal sealed class LeavingPeer
{
    private const int AtATime = 256;

    private readonly PublisherSocket _socket;
    private readonly EventLoop _loop;
    private readonly Action _goOn;
    private PrefixSubscriptions.Cursor _rest;
    private long _held;

    private LeavingPeer(PublisherSocket socket, EventLoop loop, PrefixSubscriptions subscriptions, long held)
    {
        _socket = socket;
        _loop = loop;
        _rest = subscriptions.Walk();
        _held = held;
        _goOn = GoOn;
    }

    /// <param name="socket">The peer's socket.</param>
    /// <param name="loop">The peer's loop.</param>
    /// <param name="subscriptions">What it had; nobody changes it any more.</param>
    /// <param name="held">What that takes of the socket's budget.</param>
    internal static void Start(PublisherSocket socket, EventLoop loop, PrefixSubscriptions subscriptions, long held) =>
        new LeavingPeer(socket, loop, subscriptions, held).GoOn();

    private void GoOn()
    {
        for (int i = 0; i < AtATime; i++)
        {
            if (!_rest.MoveNext(out var prefix))
            {
                return;
            }

            _socket.Budget.Give(ref _held, prefix.Length);
            try
            {
                _socket.RemoveInterest(prefix);
            }
            catch
            {
                // The application's; the rest must be taken back all the same.
                _loop.Post(_goOn);
                throw;
            }
        }

        _loop.Post(_goOn);
    }
}

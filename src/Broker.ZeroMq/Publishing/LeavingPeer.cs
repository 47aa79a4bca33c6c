using Broker.ZeroMq.Zmtp.Subscriptions;

namespace Broker.ZeroMq.Publishing;

/// <summary>
/// Removes the subscriptions of a peer that has disconnected, a few at a time: the peer may have had very many, and its
/// loop must serve others too. Used on the peer's loop.
/// </summary>
internal sealed class LeavingPeer
{
    private const int AtATime = 256;

    private readonly LoopPublisher _socket;
    private readonly PublisherSession _peer;
    private readonly bool _isAsked;
    private readonly Action _goOn;
    private PrefixSubscriptions.Cursor _rest;
    private PrefixSubscriptions.Cursor _asked;
    private long _held;

    private LeavingPeer(LoopPublisher socket, PublisherSession peer, PrefixSubscriptions subscriptions, PrefixSubscriptions? asked, long held)
    {
        _socket = socket;
        _peer = peer;
        _rest = subscriptions.Walk();
        _isAsked = asked is not null;
        _asked = (asked ?? subscriptions).Walk();
        _held = held;
        _goOn = GoOn;
    }

    /// <param name="socket">The peer's socket.</param>
    /// <param name="peer">The peer.</param>
    /// <param name="subscriptions">The subscriptions in effect; they no longer change.</param>
    /// <param name="asked">
    /// The subscriptions that the peer requested, if they can differ from those in effect; otherwise null.
    /// </param>
    /// <param name="held">The memory of the subscriptions in the socket's budget.</param>
    internal static void Start(
        LoopPublisher socket, PublisherSession peer, PrefixSubscriptions subscriptions, PrefixSubscriptions? asked, long held) =>
        new LeavingPeer(socket, peer, subscriptions, asked, held).GoOn();

    private void GoOn()
    {
        for (int i = 0; i < AtATime; i++)
        {
            try
            {
                if (!TakeBack())
                {
                    return;
                }
            }
            catch
            {
                // The application's callback threw. The other subscriptions must be removed nevertheless.
                _peer.Loop.Post(_goOn);
                throw;
            }
        }

        _peer.Loop.Post(_goOn);
    }

    // Returns false if no subscription is left.
    private bool TakeBack()
    {
        if (_rest.MoveNext(out var prefix))
        {
            try
            {
                _socket.RemoveInterest(prefix, _peer);
            }
            finally
            {
                if (!_isAsked)
                {
                    GiveBack(prefix);
                }
            }

            return true;
        }

        if (_isAsked && _asked.MoveNext(out prefix))
        {
            GiveBack(prefix);
            return true;
        }

        return false;
    }

    private void GiveBack(ReadOnlySpan<byte> prefix)
    {
        _socket.Budget.Give(ref _held, prefix.Length);
        _socket.Options.OnSubscription?.Invoke(_peer.Peer!, prefix, subscribes: false);
    }
}

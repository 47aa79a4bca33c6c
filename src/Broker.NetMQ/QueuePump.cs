using System.Buffers;
using Broker.Client;
using Broker.ZeroMq;
using NetMQ;

namespace Broker.NetMQ;

/// <summary>
/// Passes the items of a NetMQ queue to the route, each as one frame. An item that cannot be encoded is dropped and
/// reported.
/// </summary>
internal sealed class QueuePump<TSocket, T> : IncomingPump<TSocket>
    where TSocket : MessageSocket, ISendingSocket
{
    private readonly NetMQQueue<T> _source;
    private readonly IMessageEncoder _encoder;
    private readonly EventHandler<NetMQQueueEventArgs<T>> _onReady;
    private readonly ArrayBufferWriter<byte> _frame = new();

    /// <param name="owner">The attachment.</param>
    /// <param name="source">The queue.</param>
    /// <param name="target">The socket that leads to the route.</param>
    /// <param name="encoder">Encodes the items.</param>
    internal QueuePump(NetMQAttachment owner, NetMQQueue<T> source, TSocket target, IMessageEncoder encoder)
        : base(owner, target, isOneWay: true)
    {
        _source = source;
        _encoder = encoder;
        _onReady = (_, _) => Forward();
    }

    private protected override void Listen() => _source.ReceiveReady += _onReady;

    private protected override void Unlisten() => _source.ReceiveReady -= _onReady;

    private protected override bool TryTake()
    {
        // A queue raises its event again while it has items, but not for items that were taken in a batch.
        while (_source.TryDequeue(out T? item, TimeSpan.Zero))
        {
            _frame.ResetWrittenCount();
            try
            {
                _encoder.Encode(item!, _frame);
                return true;
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                CountTaken();
                CountDropped();
                Owner.Report(e);
            }
        }

        return false;
    }

    private protected override bool TrySendTaken() => Target.TrySend(_frame.WrittenSpan);

    private protected override void ReleaseTaken()
    {
    }

    private protected override ZeroMqMessage KeepTaken() => new(_frame.WrittenSpan);

    private protected override void Close()
    {
    }
}

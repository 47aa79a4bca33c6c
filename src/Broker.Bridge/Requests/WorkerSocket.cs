using Broker.Transport;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.Bridge.Requests;

/// <summary>
/// DEALER towards workers: each request goes to one of those that have least to do, in turn among equals, and it is known to which. On the
/// loop.
/// </summary>
internal sealed class WorkerSocket : SingleLoopSocket
{
    private readonly int _mostPerWorker;
    private readonly List<Worker> _workers = [];
    private int _next;

    /// <param name="loop">The loop it lives on.</param>
    /// <param name="onMessage">Receives the answers.</param>
    /// <param name="options">A worker's queue must not outlive its connection.</param>
    /// <param name="mostPerWorker">How many requests one may have at a time.</param>
    internal WorkerSocket(EventLoop loop, ZeroMqMessageHandler onMessage, LoopRoutedOptions options, int mostPerWorker)
        : base(loop, ZmtpSocketType.Dealer, options with { Immediate = true }, new HandlerSink(onMessage))
    {
        _mostPerWorker = mostPerWorker;
    }

    /// <summary>A worker has come, or one that was full has room.</summary>
    internal required Action OnWorker { get; init; }

    /// <summary>A worker is gone, and answers nothing more.</summary>
    internal required Action<Worker> OnWorkerGone { get; init; }

    internal int Workers => _workers.Count;

    /// <summary>Gives a request to a worker, and counts it as pending there; null when there is none with room.</summary>
    internal Worker? TrySend<TMessage>(ref TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        int size = message.EncodedSize;
        for (int attempts = _workers.Count; attempts > 0; attempts--)
        {
            if (Choose() is not { } worker)
            {
                return null;
            }

            if (worker.Pipe.TryWrite(ref message, size))
            {
                worker.Pending++;
                return worker;
            }
        }

        return null;
    }

    internal override void OnRoom(OutboundPipe pipe) => OnWorker();

    private protected override void OnPipeAdded(OutboundPipe pipe)
    {
        _workers.Add(new Worker(pipe));
        OnWorker();
    }

    private protected override void OnPipeRemoved(OutboundPipe pipe)
    {
        int index = _workers.FindIndex(worker => worker.Pipe == pipe);
        if (index >= 0)
        {
            Worker gone = _workers[index];
            _workers.RemoveAt(index);
            OnWorkerGone(gone);
        }
    }

    private Worker? Choose()
    {
        Worker? chosen = null;
        int least = _mostPerWorker;
        int count = _workers.Count;
        for (int i = 0; i < count && least > 0; i++)
        {
            int at = _next + i < count ? _next + i : _next + i - count;
            Worker worker = _workers[at];
            if (worker.Pending < least && !worker.Pipe.IsFull)
            {
                chosen = worker;
                least = worker.Pending;
                if (least == 0)
                {
                    _next = at + 1 == count ? 0 : at + 1;
                    return chosen;
                }
            }
        }

        _next = _next + 1 < count ? _next + 1 : 0;
        return chosen;
    }
}

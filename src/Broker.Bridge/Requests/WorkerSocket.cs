using Broker.Transport;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

/// <summary>
/// A DEALER socket for workers. It sends each request to a worker with the fewest pending requests, in turn among
/// equals, and records which worker received it. Used on one loop.
/// </summary>
internal sealed class WorkerSocket : SingleLoopSocket
{
    private readonly int _mostPerWorker;
    private readonly List<Worker> _workers = [];
    private int _next;

    /// <param name="loop">The loop of the socket.</param>
    /// <param name="onMessage">Receives the replies.</param>
    /// <param name="options">The options of the socket. The queue of a worker always ends with its connection.</param>
    /// <param name="mostPerWorker">How many pending requests a worker may have.</param>
    internal WorkerSocket(EventLoop loop, ZeroMqMessageHandler onMessage, LoopRoutedOptions options, int mostPerWorker)
        : base(loop, ZmtpSocketType.Dealer, options with { Immediate = true }, new HandlerSink(onMessage))
    {
        _mostPerWorker = mostPerWorker;
    }

    /// <summary>Called when a worker has connected, or when a full worker has capacity again.</summary>
    internal required Action OnWorker { get; init; }

    /// <summary>Called when a worker has disconnected.</summary>
    internal required Action<Worker> OnWorkerLost { get; init; }

    internal int Workers => _workers.Count;

    /// <summary>
    /// Sends a request to a worker and counts it as pending there; returns null if no worker has capacity.
    /// </summary>
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
            OnWorkerLost(gone);
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

namespace Broker.ZeroMq.Loops;

// This part handles outgoing messages. Each peer that connected to this socket has a pipe. Each endpoint that this
// socket connects to has a pipe that outlives its connections.
public abstract partial class SingleLoopSocket
{
    private readonly HashSet<OutboundPipe> _links = [];
    private TaskCompletionSource? _backlogSent;
    private long _interrupted;

    /// <summary>
    /// Whether the pipe belongs to an endpoint that this socket connects to, so that the messages of the pipe wait for
    /// the next connection.
    /// </summary>
    internal bool IsLinkPipe(OutboundPipe pipe) => _links.Contains(pipe);

    /// <summary>
    /// The number of messages that were dropped because too many connections in a row ended in the middle of them.
    /// </summary>
    private protected override long Dropped => Interlocked.Read(ref _interrupted);

    /// <summary>Adds one message to <see cref="Dropped"/>. Called on the loop.</summary>
    internal void CountInterrupted()
    {
        Interlocked.Increment(ref _interrupted);
        CountAbandoned(1);
    }

    /// <summary>Called when a pipe that was full has room again.</summary>
    internal virtual void OnRoom(OutboundPipe pipe)
    {
    }

    /// <summary>Whether the socket sends messages at all.</summary>
    private protected virtual bool Sends => true;

    /// <summary>Whether messages can be queued for an endpoint before its peer is known.</summary>
    private protected virtual bool QueuesBeforeHandshake => true;

    /// <summary>
    /// When the connection to an endpoint is lost, whether the messages that are queued for the endpoint wait for the
    /// next connection.
    /// </summary>
    private protected virtual bool QueuesAcrossConnections => !MessageOptions.Immediate;

    /// <summary>Called when a pipe was added.</summary>
    private protected virtual void OnPipeAdded(OutboundPipe pipe)
    {
    }

    /// <summary>Called when a pipe was removed. No more messages may be written to the pipe.</summary>
    private protected virtual void OnPipeRemoved(OutboundPipe pipe)
    {
    }

    /// <summary>Called for a new peer before anything is written to its pipe.</summary>
    private protected virtual void OnAttaching(MessageSession session, OutboundPipe pipe)
    {
    }

    private protected override void OnMemoryAvailable() => Loop.Post(() =>
    {
        lock (PipeGate)
        {
            foreach (MessageSession session in _sessions)
            {
                session.Pipe?.OnMemoryAvailable();
            }

            foreach (OutboundPipe pipe in _links)
            {
                pipe.OnMemoryAvailable();
            }
        }
    });

    private protected override void OnConnecting(OutgoingLink link)
    {
        if (Sends && (QueuesBeforeHandshake || link.RoutingId is not null) && QueuesAcrossConnections)
        {
            var pipe = new OutboundPipe(this, isLink: true) { RoutingId = link.RoutingId };
            Loop.Run(() =>
            {
                lock (PipeGate)
                {
                    link.Pipe = pipe;
                    _links.Add(pipe);
                    OnPipeAdded(pipe);
                }
            });
        }
    }

    private protected override Task BacklogSentAsync()
    {
        var sent = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Loop.Post(() =>
        {
            lock (PipeGate)
            {
                _backlogSent = sent;
                CheckBacklogSent();
            }
        });
        return sent.Task;
    }

    private protected override void OnDisconnecting(OutgoingLink link) => Loop.Run(() =>
    {
        if (link.Pipe is { } pipe)
        {
            int abandoned;
            lock (PipeGate)
            {
                _links.Remove(pipe);
                OnPipeRemoved(pipe);
                abandoned = pipe.Abandon();
                CheckBacklogSent();
            }

            CountAbandoned(abandoned);
        }
    });

    private void AttachPipe(MessageSession session)
    {
        if (!Sends)
        {
            return;
        }

        OutgoingLink? link = session.Link;
        bool isNew = link?.Pipe is null;
        bool isKept = link is not null && QueuesAcrossConnections;
        OutboundPipe pipe = link?.Pipe ?? new OutboundPipe(this, isKept);
        if (isNew && isKept)
        {
            link!.Pipe = pipe;
            _links.Add(pipe);
        }

        OnAttaching(session, pipe);
        if (MessageOptions.ProbesRouter && session.Peer!.SocketType == ZmtpSocketType.Router)
        {
            session.WriteFirst([]);
        }

        if (!MessageOptions.HelloMessage.IsEmpty)
        {
            session.WriteFirst(MessageOptions.HelloMessage.Span);
        }

        pipe.Attach(session);
        if (isNew)
        {
            OnPipeAdded(pipe);
        }

        CheckBacklogSent();
    }

    private void CheckBacklogSent()
    {
        if (_backlogSent is not null && _links.All(pipe => pipe.BacklogCount == 0))
        {
            _backlogSent.TrySetResult();
        }
    }

    private void DetachPipe(MessageSession session)
    {
        if (session.Pipe is not { } pipe)
        {
            return;
        }

        session.Pipe = null;
        if (IsLinkPipe(pipe))
        {
            // The pipe may have been full because of bytes that the closed connection no longer buffers.
            pipe.OnRoom();
        }
        else
        {
            OnPipeRemoved(pipe);
        }
    }
}

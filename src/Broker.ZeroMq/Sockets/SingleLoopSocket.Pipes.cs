using Broker.ZeroMq.Zmtp;

namespace Broker.ZeroMq.Sockets;

// What is sent to whom: a pipe for each peer that was accepted, and one for each endpoint that is connected to, for good.
public abstract partial class SingleLoopSocket
{
    private readonly HashSet<OutboundPipe> _links = [];
    private TaskCompletionSource? _backlogSent;

    /// <summary>Whether the pipe belongs to an endpoint that is connected to, so that what it holds waits for another connection.</summary>
    internal bool Keeps(OutboundPipe pipe) => _links.Contains(pipe);

    /// <summary>A pipe that was full has room again.</summary>
    internal virtual void OnRoom(OutboundPipe pipe)
    {
    }

    /// <summary>Whether its peers get messages at all.</summary>
    private protected virtual bool Sends => true;

    /// <summary>Whether messages can be meant for an endpoint before its peer is known.</summary>
    private protected virtual bool SendsToStrangers => true;

    /// <summary>Whether what is meant for the peer at an endpoint waits for it when its connection is lost.</summary>
    private protected virtual bool KeepsForNextConnection => !MessageOptions.Immediate;

    /// <summary>There is another one to send to.</summary>
    private protected virtual void OnPipeAdded(OutboundPipe pipe)
    {
    }

    /// <summary>Nothing more may be written to it.</summary>
    private protected virtual void OnPipeRemoved(OutboundPipe pipe)
    {
    }

    /// <summary>A peer is there, and nothing has been written to it yet.</summary>
    private protected virtual void OnAttaching(MessageSession session, OutboundPipe pipe)
    {
    }

    private protected override void OnEnoughMemory() => Loop.Post(() =>
    {
        lock (PipeGate)
        {
            foreach (var session in _sessions)
            {
                session.Pipe?.OnEnough();
            }

            foreach (var pipe in _links)
            {
                pipe.OnEnough();
            }
        }
    });

    private protected override void OnConnecting(OutgoingLink link)
    {
        if (Sends && SendsToStrangers && KeepsForNextConnection)
        {
            var pipe = new OutboundPipe(this, isLink: true);
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
                NoticeBacklog();
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
                NoticeBacklog();
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

        var link = session.Link;
        bool isNew = link?.Pipe is null;
        bool isKept = link is not null && KeepsForNextConnection;
        var pipe = link?.Pipe ?? new OutboundPipe(this, isKept);
        if (isNew && isKept)
        {
            link!.Pipe = pipe;
            _links.Add(pipe);
        }

        OnAttaching(session, pipe);
        if (MessageOptions.ProbesRouter && session.Peer!.SocketType == ZmtpSocketType.Router)
        {
            session.WriteProbe();
        }

        pipe.Attach(session);
        if (isNew)
        {
            OnPipeAdded(pipe);
        }

        NoticeBacklog();
    }

    private void NoticeBacklog()
    {
        if (_backlogSent is not null && _links.All(pipe => pipe.Waiting == 0))
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
        if (Keeps(pipe))
        {
            // It may have been full of what the connection is rid of.
            pipe.OnRoom();
        }
        else
        {
            OnPipeRemoved(pipe);
        }
    }
}

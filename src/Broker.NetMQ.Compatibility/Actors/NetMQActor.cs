using NetMQ.Sockets;

namespace NetMQ;

/// <summary>
/// A thread with a socket: the program and the code on the thread exchange messages, and share nothing else. The
/// members are for one thread at a time, as those of a socket. The thread keeps the process alive until it ends.
/// </summary>
public class NetMQActor : IOutgoingSocket, IReceivingSocket, ISocketPollable, IDisposable
{
    /// <summary>The message that asks the code on the thread to return.</summary>
    public const string EndShimMessage = "endPipe";

    // A socket tells nobody that the thread at its other end has finished, so the disposal looks now and then.
    private static readonly TimeSpan Glance = TimeSpan.FromMilliseconds(20);

    private readonly PairSocket _self;
    private readonly Thread _thread;
    private readonly NetMQActorEventArgs _args;
    private EventHandler<NetMQActorEventArgs>? _receiveReady;
    private EventHandler<NetMQActorEventArgs>? _sendReady;
    private bool _isDisposed;

    private NetMQActor(Action<PairSocket> run, string name)
    {
        _args = new NetMQActorEventArgs(this);
        PairSocket.CreateSocketPair(out _self, out PairSocket shim);
        _thread = new Thread(() => RunShim(run, shim)) { Name = name };
        _thread.Start();
        _self.ReceiveSignal();
    }

    /// <summary>Raised by a poller while there is a message from the thread.</summary>
    public event EventHandler<NetMQActorEventArgs>? ReceiveReady
    {
        add
        {
            if (_receiveReady is null)
            {
                _self.ReceiveReady += OnReceiveReady;
            }

            _receiveReady += value;
        }

        remove
        {
            _receiveReady -= value;
            if (_receiveReady is null)
            {
                _self.ReceiveReady -= OnReceiveReady;
            }
        }
    }

    /// <summary>Raised by a poller while there is room for a message to the thread.</summary>
    public event EventHandler<NetMQActorEventArgs>? SendReady
    {
        add
        {
            if (_sendReady is null)
            {
                _self.SendReady += OnSendReady;
            }

            _sendReady += value;
        }

        remove
        {
            _sendReady -= value;
            if (_sendReady is null)
            {
                _self.SendReady -= OnSendReady;
            }
        }
    }

    /// <summary>Whether the actor is disposed.</summary>
    public bool IsDisposed => Volatile.Read(ref _isDisposed);

    NetMQSocket ISocketPollable.Socket => _self;

    /// <summary>Starts a thread that runs a handler, and waits until the handler has signalled.</summary>
    public static NetMQActor Create(IShimHandler shimHandler)
    {
        ArgumentNullException.ThrowIfNull(shimHandler);
        return new NetMQActor(shimHandler.Run, $"NetMQActor {shimHandler.GetType().Name}");
    }

    /// <summary>Starts a thread that runs an action, and waits until the action has signalled.</summary>
    /// <param name="action">The action.</param>
    /// <param name="state">The object that the action gets.</param>
    public static NetMQActor Create<T>(ShimAction<T> action, T state)
    {
        ArgumentNullException.ThrowIfNull(action);
        return new NetMQActor(shim => action(shim, state), "NetMQActor");
    }

    /// <summary>Starts a thread that runs an action, and waits until the action has signalled.</summary>
    public static NetMQActor Create(ShimAction action)
    {
        ArgumentNullException.ThrowIfNull(action);
        return new NetMQActor(new Action<PairSocket>(action), "NetMQActor");
    }

    /// <inheritdoc/>
    public bool TrySend(ref Msg msg, TimeSpan timeout, bool more) => _self.TrySend(ref msg, timeout, more);

    /// <inheritdoc/>
    public bool TryReceive(ref Msg msg, TimeSpan timeout) => _self.TryReceive(ref msg, timeout);

    /// <summary>
    /// Sends <see cref="EndShimMessage"/>, and waits until the code on the thread has returned. Messages of the thread
    /// that the program has not received are lost.
    /// </summary>
    public void Dispose()
    {
        Dispose(disposing: true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Ends the thread.</summary>
    /// <param name="disposing">Whether <see cref="Dispose()"/> was called.</param>
    protected virtual void Dispose(bool disposing)
    {
        if (!disposing || IsDisposed)
        {
            return;
        }

        Volatile.Write(ref _isDisposed, true);
        bool isAsked = false;
        while (!_thread.Join(TimeSpan.Zero))
        {
            isAsked = isAsked || _self.TrySendFrame(EndShimMessage);

            // The thread may wait for room for what it sends.
            _self.TryReceiveSignal(Glance, out _);
        }

        _self.Dispose();
    }

    private static void RunShim(Action<PairSocket> run, PairSocket shim)
    {
        try
        {
            run(shim);
        }
        catch (TerminatingException)
        {
            // The library was closed, which ends the thread as the message does.
        }

        shim.TrySignalOK();
        shim.Dispose();
    }

    private void OnReceiveReady(object? sender, NetMQSocketEventArgs e) => _receiveReady?.Invoke(this, _args);

    private void OnSendReady(object? sender, NetMQSocketEventArgs e) => _sendReady?.Invoke(this, _args);
}

using System.Net.Sockets;
using Broker.Transport;
using Broker.Transport.InProcess;

namespace Broker.ZeroMq.Endpoints;

/// <summary>
/// The names of <c>inproc://</c> endpoints: sockets that were given the same ones find each other by them, in one process and without
/// a system socket. Thread-safe.
/// </summary>
/// <remarks>
/// <para>
/// A name belongs to the socket that has bound it until that unbinds or closes. Who connects to a name that nobody has bound waits for it
/// without a limit, so the order of binding and connecting does not matter. Nothing else is different: a connection carries ZMTP between
/// two event loops, or within one, by <see cref="InProcessLink"/>. A socket's security mechanism and its callback that authenticates do
/// not concern it, as in libzmq: both ends are the program itself.
/// </para>
/// <para>Disposing ends the waits for good and lets nobody bind any more. Connections are the sockets' own and stay.</para>
/// </remarks>
public sealed class InprocNames : IDisposable
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, Binding> _bound = new(StringComparer.Ordinal);
    private readonly Dictionary<string, Wait> _awaited = new(StringComparer.Ordinal);
    private bool _isDisposed;

    /// <summary>Whether there are no names any more.</summary>
    public bool IsDisposed => Volatile.Read(ref _isDisposed);

    /// <summary>Ends all waits and refuses new names.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _bound.Clear();
            foreach (var wait in _awaited.Values)
            {
                wait.Ended.TrySetResult();
            }

            _awaited.Clear();
        }
    }

    /// <summary>Takes a name until what it returns is disposed.</summary>
    /// <param name="endpoint">The endpoint with the name.</param>
    /// <param name="window">How many octets to send to a peer before it has looked at those before.</param>
    /// <param name="nextLoop">The loop of the next peer.</param>
    /// <param name="accept">Makes the next peer's handler. Called under the lock of the names: it takes none of its own.</param>
    /// <exception cref="ZeroMqBindException">Somebody else has it.</exception>
    /// <exception cref="ObjectDisposedException">There are no names any more.</exception>
    internal IDisposable Bind(ZeroMqEndpoint endpoint, long window, Func<EventLoop> nextLoop, Func<EventLoop, ConnectionHandler> accept)
    {
        string name = endpoint.ToString();
        var binding = new Binding(this, name, window, nextLoop, accept);
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            if (!_bound.TryAdd(name, binding))
            {
                throw new ZeroMqBindException(endpoint, new SocketException((int)SocketError.AddressAlreadyInUse));
            }

            if (_awaited.Remove(name, out var wait))
            {
                wait.Ended.TrySetResult();
            }
        }

        return binding;
    }

    /// <summary>Connects to a name when it is bound.</summary>
    /// <param name="endpoint">The endpoint with the name.</param>
    /// <param name="window">How many octets to send to the peer before it has looked at those before.</param>
    /// <param name="loop">The loop of the end that connects.</param>
    /// <param name="handler">Its handler.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="ObjectDisposedException">There are no names any more, or the other end's loops have been disposed.</exception>
    internal async Task ConnectAsync(
        ZeroMqEndpoint endpoint, long window, EventLoop loop, ConnectionHandler handler, CancellationToken cancellation)
    {
        string name = endpoint.ToString();
        while (true)
        {
            Wait wait;
            lock (_gate)
            {
                ObjectDisposedException.ThrowIf(_isDisposed, this);
                cancellation.ThrowIfCancellationRequested();
                if (_bound.TryGetValue(name, out var binding))
                {
                    // Within the lock, so that nobody comes after the name was given up.
                    EventLoop other = binding.NextLoop();
                    InProcessLink.Create(loop, handler, other, binding.Accept(other), binding.Window, window);
                    return;
                }

                if (!_awaited.TryGetValue(name, out wait!))
                {
                    _awaited.Add(name, wait = new Wait());
                }

                wait.Count++;
            }

            try
            {
                await wait.Ended.Task.WaitAsync(cancellation).ConfigureAwait(false);
            }
            finally
            {
                Leave(name, wait);
            }
        }
    }

    private void Leave(string name, Wait wait)
    {
        lock (_gate)
        {
            if (--wait.Count == 0 && _awaited.TryGetValue(name, out var present) && present == wait)
            {
                _awaited.Remove(name);
            }
        }
    }

    private void Release(Binding binding)
    {
        lock (_gate)
        {
            if (_bound.TryGetValue(binding.Name, out var present) && present == binding)
            {
                _bound.Remove(binding.Name);
            }
        }
    }

    /// <summary>Those who wait for one name.</summary>
    private sealed class Wait
    {
        public TaskCompletionSource Ended { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public int Count { get; set; }
    }

    /// <summary>A name that somebody has.</summary>
    private sealed class Binding(
        InprocNames names, string name, long window, Func<EventLoop> nextLoop, Func<EventLoop, ConnectionHandler> accept) : IDisposable
    {
        public string Name { get; } = name;

        public long Window { get; } = window;

        public Func<EventLoop> NextLoop { get; } = nextLoop;

        public Func<EventLoop, ConnectionHandler> Accept { get; } = accept;

        public void Dispose() => names.Release(this);
    }
}

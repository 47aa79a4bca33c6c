using System.Net.Sockets;
using Broker.Transport;

namespace Broker.ZeroMq;

/// <summary>
/// The names of <c>inproc://</c> endpoints. Sockets that share an instance find each other by these names, within one
/// process and without a system socket. Thread-safe.
/// </summary>
/// <remarks>
/// <para>
/// A name belongs to the socket that bound it until the socket unbinds or closes. A socket that connects to an unbound
/// name waits without a limit until the name is bound, so the order of binding and connecting does not matter. In other
/// respects an inproc connection works like any other connection: it carries ZMTP between two event loops, or within
/// one loop, through <see cref="InProcessLink"/>. A socket's security mechanism and its authentication callback are not
/// used, as in libzmq, because both ends belong to the program itself.
/// </para>
/// <para>
/// Disposing the object ends all waits and allows no further binds. Existing connections belong to the sockets and stay
/// open.
/// </para>
/// </remarks>
public sealed class InprocNames : IDisposable
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, Binding> _bound = new(StringComparer.Ordinal);
    private readonly Dictionary<string, Wait> _awaited = new(StringComparer.Ordinal);
    private bool _isDisposed;

    /// <summary>Whether the object is disposed.</summary>
    public bool IsDisposed => Volatile.Read(ref _isDisposed);

    /// <summary>Ends all waits and refuses new names.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _bound.Clear();
            foreach (Wait wait in _awaited.Values)
            {
                wait.Ended.TrySetResult();
            }

            _awaited.Clear();
        }
    }

    /// <summary>Binds a name until the returned object is disposed.</summary>
    /// <param name="endpoint">The endpoint with the name.</param>
    /// <param name="window">
    /// How many octets may be on the way to a peer: sent, but not yet processed by the peer.
    /// </param>
    /// <param name="nextLoop">Returns the event loop for the next peer.</param>
    /// <param name="accept">
    /// Creates the handler of the next peer. The function is called under this object's lock and must not take a lock.
    /// </param>
    /// <exception cref="ZeroMqBindException">Another socket has bound the name.</exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
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

            if (_awaited.Remove(name, out Wait? wait))
            {
                wait.Ended.TrySetResult();
            }
        }

        return binding;
    }

    /// <summary>Connects to a name. Waits if the name is not bound yet.</summary>
    /// <param name="endpoint">The endpoint with the name.</param>
    /// <param name="window">
    /// How many octets may be on the way to the peer: sent, but not yet processed by the peer.
    /// </param>
    /// <param name="loop">The loop of the connecting end.</param>
    /// <param name="handler">The handler of the connecting end.</param>
    /// <param name="cancellation">Ends the wait.</param>
    /// <exception cref="ObjectDisposedException">This object or the loops of the other end are disposed.</exception>
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
                if (_bound.TryGetValue(name, out Binding? binding))
                {
                    // The link is created under the lock, so that no peer connects after the name was released.
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
            if (--wait.Count == 0 && _awaited.TryGetValue(name, out Wait? present) && present == wait)
            {
                _awaited.Remove(name);
            }
        }
    }

    private void Release(Binding binding)
    {
        lock (_gate)
        {
            if (_bound.TryGetValue(binding.Name, out Binding? present) && present == binding)
            {
                _bound.Remove(binding.Name);
            }
        }
    }

    /// <summary>The callers that wait for one name.</summary>
    private sealed class Wait
    {
        public TaskCompletionSource Ended { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public int Count { get; set; }
    }

    /// <summary>A bound name.</summary>
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

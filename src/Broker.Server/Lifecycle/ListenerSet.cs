using System.Net;
using System.Net.Sockets;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// The listeners of a server: one for each configured address. <see cref="Stop"/> is thread-safe.
/// </summary>
internal sealed class ListenerSet(ServerCore core, EventLoopGroup loops)
{
    private readonly List<Listener> _listeners = [];

    /// <summary>
    /// The addresses in the order of the options. For port 0 in the options, the address contains the port that the
    /// operating system chose.
    /// </summary>
    internal IReadOnlyList<EndPoint> EndPoints => [.. _listeners.Select(l => l.EndPoint)];

    /// <summary>Opens the listeners. If one listener fails, the listeners before it stay open.</summary>
    /// <exception cref="ListenException">The server cannot listen on an address.</exception>
    internal void Start()
    {
        foreach (EndPoint endPoint in core.Options.EndPoints)
        {
            try
            {
                // A client may connect before the port of the listener is stored here, so set the configured address
                // first.
                core.AdvertisedEndPoint ??= endPoint;
                var listener = Listener.Start(
                    loops, endPoint, (loop, from) => new ClientSession(core, loop, from));
                if (core.AdvertisedEndPoint == endPoint)
                {
                    core.AdvertisedEndPoint = listener.EndPoint;
                }

                lock (_listeners)
                {
                    _listeners.Add(listener);
                }
            }
            catch (SocketException e)
            {
                throw new ListenException(endPoint, e);
            }

            core.Log.Listening(_listeners[^1].EndPoint);
            if (!core.Security.RequiresAuth && _listeners[^1].EndPoint is IPEndPoint { Address: var address } && !IPAddress.IsLoopback(address))
            {
                core.Log.OpenToOthers(_listeners[^1].EndPoint);
            }
        }

        core.Log.Ready(core.Identity.Name, core.Identity.Id);
    }

    /// <summary>Closes the listeners. This method may be called more than once.</summary>
    internal void Stop()
    {
        lock (_listeners)
        {
            foreach (Listener listener in _listeners)
            {
                listener.Dispose();
            }
        }
    }
}

using System.Net.Sockets;
using Broker.Transport;
using Broker.ZeroMq;

namespace NetMQ;

/// <summary>
/// The addresses that one socket has bound and connected to. They outlive the socket of Broker.ZeroMq, which is
/// replaced when an option changes.
/// </summary>
/// <param name="events">Gets the events of the addresses.</param>
internal sealed class SocketEndpoints(SocketEventFeed events)
{
    private readonly List<OpenEndpoint> _open = [];

    /// <summary>The address of the last bind or connect; null before the first.</summary>
    internal string? Last { get; private set; }

    /// <summary>Whether one of the addresses is or was an inproc name.</summary>
    internal bool UsesInproc { get; private set; }

    internal void Bind(StartedSocket started, string address)
    {
        try
        {
            BindTo(started.Socket, address);
        }
        catch (NetMQException failure)
        {
            events.Report(SocketEvents.BindFailed, address, (int)failure.ErrorCode);
            throw;
        }

        if (EndpointAddress.IsInproc(address))
        {
            InprocBinders.Add(address, this);
            UsesInproc = true;
        }

        Last = started.Socket.LastEndpoint!;
        _open.Add(new OpenEndpoint(address, Last, IsBound: true));
    }

    /// <summary>Connects to an address, whose peer has the given routing id here if there is one.</summary>
    internal void Connect(StartedSocket started, string address, byte[]? routingId = null)
    {
        bool isInproc = EndpointAddress.IsInproc(address);
        if (isInproc && !InprocBinders.Contains(address))
        {
            throw new EndpointNotFoundException(null, $"No socket has bound {address}.");
        }

        events.OnConnecting(address);
        ConnectTo(started.Socket, address, routingId);
        Last = address;
        _open.Add(new OpenEndpoint(address, address, IsBound: false, routingId));
        UsesInproc |= isInproc;
    }

    internal void Unbind(StartedSocket started, string address)
    {
        OpenEndpoint closed = Take(address, isBound: true);
        InprocBinders.Remove(closed.Address, this);
        started.Socket.Unbind(closed.Actual);
        events.Report(SocketEvents.Closed, closed.Actual);
    }

    internal void Disconnect(StartedSocket started, string address)
    {
        OpenEndpoint closed = Take(address, isBound: false);
        events.OnDisconnecting(closed.Address);
        started.Socket.Disconnect(closed.Address);
    }

    /// <summary>Opens the addresses again on a socket that replaces another.</summary>
    internal void Reopen(StartedSocket started)
    {
        foreach (OpenEndpoint open in _open)
        {
            if (!open.IsBound)
            {
                ConnectTo(started.Socket, open.Address, open.RoutingId);
                continue;
            }

            BindTo(started.Socket, open.Actual);
            if (EndpointAddress.IsInproc(open.Address))
            {
                InprocBinders.Add(open.Address, this);
            }
        }
    }

    /// <summary>Reports that the addresses are closed, because the socket is.</summary>
    internal void ReportClosed()
        => _open.FindAll(static open => open.IsBound).ForEach(open => events.Report(SocketEvents.Closed, open.Actual));

    /// <summary>Releases the inproc names, so that other sockets can bind them.</summary>
    internal void ReleaseNames() => _open.ForEach(open => InprocBinders.Remove(open.Address, this));

    /// <summary>Binds an address, and throws what NetMQ throws.</summary>
    internal static void BindTo(MessageSocket socket, string address)
    {
        try
        {
            socket.Bind(address);
        }
        catch (ListenException failure) when (failure.Error == SocketError.AddressAlreadyInUse)
        {
            throw new AddressAlreadyInUseException(failure, failure.Message);
        }
        catch (ListenException failure)
        {
            throw NetMQException.Create(failure.Error, failure);
        }
        catch (FormatException failure)
        {
            throw new ArgumentException(failure.Message, nameof(address), failure);
        }
    }

    private OpenEndpoint Take(string address, bool isBound)
    {
        int at = _open.FindIndex(open => open.IsBound == isBound && open.Matches(address));
        if (at < 0)
        {
            throw new EndpointNotFoundException(null, $"The socket does not use {address}.");
        }

        OpenEndpoint taken = _open[at];
        _open.RemoveAt(at);
        return taken;
    }

    private static void ConnectTo(MessageSocket socket, string address, byte[]? routingId)
    {
        try
        {
            if (routingId is not null)
            {
                ((RouterSocket)socket).Connect(address, routingId);
                return;
            }

            socket.Connect(address);
        }
        catch (FormatException failure)
        {
            throw new ArgumentException(failure.Message, nameof(address), failure);
        }
    }
}

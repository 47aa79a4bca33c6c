using System.Net.Sockets;
using Broker.Transport;

namespace NetMQ;

/// <summary>
/// The addresses that one socket has bound and connected to. They outlive the socket of Broker.ZeroMq, which is
/// replaced when an option changes.
/// </summary>
internal sealed class SocketEndpoints
{
    private readonly List<OpenEndpoint> _open = [];

    /// <summary>The address of the last bind or connect; null before the first.</summary>
    internal string? Last { get; private set; }

    /// <summary>Whether one of the addresses is or was an inproc name.</summary>
    internal bool UsesInproc { get; private set; }

    internal void Bind(StartedSocket started, string address)
    {
        BindTo(started, address);
        if (EndpointAddress.IsInproc(address))
        {
            InprocBinders.Add(address, this);
            UsesInproc = true;
        }

        Last = started.Socket.LastEndpoint!;
        _open.Add(new OpenEndpoint(address, Last, IsBound: true));
    }

    internal void Connect(StartedSocket started, string address)
    {
        bool isInproc = EndpointAddress.IsInproc(address);
        if (isInproc && !InprocBinders.Contains(address))
        {
            throw new EndpointNotFoundException(null, $"No socket has bound {address}.");
        }

        ConnectTo(started, address);
        Last = address;
        _open.Add(new OpenEndpoint(address, address, IsBound: false));
        UsesInproc |= isInproc;
    }

    internal void Unbind(StartedSocket started, string address)
    {
        OpenEndpoint closed = Take(address, isBound: true);
        InprocBinders.Remove(closed.Address, this);
        started.Socket.Unbind(closed.Actual);
    }

    internal void Disconnect(StartedSocket started, string address)
        => started.Socket.Disconnect(Take(address, isBound: false).Address);

    /// <summary>Opens the addresses again on a socket that replaces another.</summary>
    internal void Reopen(StartedSocket started)
    {
        foreach (OpenEndpoint open in _open)
        {
            if (!open.IsBound)
            {
                ConnectTo(started, open.Address);
                continue;
            }

            BindTo(started, open.Actual);
            if (EndpointAddress.IsInproc(open.Address))
            {
                InprocBinders.Add(open.Address, this);
            }
        }
    }

    /// <summary>Releases the inproc names, so that other sockets can bind them.</summary>
    internal void ReleaseNames() => _open.ForEach(open => InprocBinders.Remove(open.Address, this));

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

    private static void BindTo(StartedSocket started, string address)
    {
        try
        {
            started.Socket.Bind(address);
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

    private static void ConnectTo(StartedSocket started, string address)
    {
        try
        {
            started.Socket.Connect(address);
        }
        catch (FormatException failure)
        {
            throw new ArgumentException(failure.Message, nameof(address), failure);
        }
    }
}

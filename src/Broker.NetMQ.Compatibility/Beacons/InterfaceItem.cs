using System.Net;

namespace NetMQ;

/// <summary>An address of a network interface.</summary>
public class InterfaceItem
{
    /// <summary>Creates the item.</summary>
    public InterfaceItem(IPAddress address, IPAddress broadcastAddress)
    {
        Address = address;
        BroadcastAddress = broadcastAddress;
    }

    /// <summary>The address.</summary>
    public IPAddress Address { get; }

    /// <summary>The address by which all hosts of the interface's network are reached.</summary>
    public IPAddress BroadcastAddress { get; }
}

using System.Net;
using System.Net.NetworkInformation;

namespace Broker.ZeroMq;

/// <summary>Finds the network interfaces of this machine by name, such as <c>lo</c> and <c>eth0</c>.</summary>
internal static class NetworkInterfaces
{
    /// <summary>Returns the addresses of an interface, or none if there is no interface of this name.</summary>
    internal static IPAddress[] AddressesOf(string name)
    {
        NetworkInterface? found = Array.Find(
            NetworkInterface.GetAllNetworkInterfaces(), candidate => string.Equals(candidate.Name, name, StringComparison.Ordinal));
        return found is null ? [] : [.. found.GetIPProperties().UnicastAddresses.Select(unicast => unicast.Address)];
    }
}

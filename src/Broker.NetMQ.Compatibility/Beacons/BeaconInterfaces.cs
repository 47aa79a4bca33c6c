using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;

namespace NetMQ;

/// <summary>Finds the addresses of this machine and the names of hosts.</summary>
internal static class BeaconInterfaces
{
    internal static List<InterfaceItem> Find()
    {
        List<InterfaceItem> found = [];
        foreach (NetworkInterface each in NetworkInterface.GetAllNetworkInterfaces())
        {
            if (each.OperationalStatus != OperationalStatus.Up
                || each.NetworkInterfaceType is NetworkInterfaceType.Loopback or NetworkInterfaceType.Ppp)
            {
                continue;
            }

            foreach (UnicastIPAddressInformation unicast in each.GetIPProperties().UnicastAddresses)
            {
                if (unicast.Address.AddressFamily == AddressFamily.InterNetwork)
                {
                    found.Add(new InterfaceItem(unicast.Address, BroadcastOf(unicast.Address, unicast.IPv4Mask)));
                }
            }
        }

        return found;
    }

    /// <summary>The host name of an address, or the address if it has none.</summary>
    internal static string HostOf(IPAddress address)
    {
        try
        {
            return Dns.GetHostEntry(address).HostName;
        }
        catch (SocketException)
        {
            return address.ToString();
        }
    }

    private static IPAddress BroadcastOf(IPAddress address, IPAddress mask)
    {
        byte[] octets = address.GetAddressBytes();
        byte[] network = mask.GetAddressBytes();
        for (int i = 0; i < octets.Length; i++)
        {
            octets[i] |= (byte)~network[i];
        }

        return new IPAddress(octets);
    }
}

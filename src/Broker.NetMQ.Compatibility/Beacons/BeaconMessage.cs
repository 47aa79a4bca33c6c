using System.Net;
using System.Runtime.InteropServices;

namespace NetMQ;

/// <summary>A beacon that was received.</summary>
[StructLayout(LayoutKind.Auto)]
public struct BeaconMessage
{
    internal BeaconMessage(byte[] bytes, IPEndPoint peer)
    {
        Bytes = bytes;
        PeerAddress = peer.ToString();
    }

    /// <summary>The bytes of the beacon.</summary>
    public byte[] Bytes { get; }

    /// <summary>The address and the port of the sender, such as <c>192.0.2.7:9999</c>.</summary>
    public string PeerAddress { get; }

    /// <summary>The bytes as a string in UTF-8.</summary>
    public readonly string String => SendReceiveConstants.DefaultEncoding.GetString(Bytes);

    /// <summary>The address of the sender without the port.</summary>
    public readonly string PeerHost => PeerAddress[..PeerAddress.LastIndexOf(':')];
}

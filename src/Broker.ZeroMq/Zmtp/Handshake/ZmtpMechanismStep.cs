using System.Runtime.InteropServices;

namespace Broker.ZeroMq.Zmtp.Handshake;

/// <summary>What a mechanism did with a command.</summary>
/// <param name="Written">Octets written to the output.</param>
/// <param name="Done">The mechanism's part of the handshake is over.</param>
/// <param name="Error">Why the peer must be refused.</param>
/// <param name="Asks">The application must say first whether it admits the peer.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct ZmtpMechanismStep(int Written, bool Done, ZmtpError Error, bool Asks = false)
{
    internal static ZmtpMechanismStep Refuse(ZmtpError error) => new(Written: 0, Done: false, error);

    internal static ZmtpMechanismStep Ask() => new(Written: 0, Done: false, ZmtpError.None, Asks: true);
}

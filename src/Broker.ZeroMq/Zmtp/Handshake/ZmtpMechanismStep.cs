using System.Runtime.InteropServices;

namespace Broker.ZeroMq;

/// <summary>The result of a mechanism after a command.</summary>
/// <param name="Written">The number of octets written to the output.</param>
/// <param name="Done">Whether the mechanism's part of the handshake is complete.</param>
/// <param name="Error">Why the peer must be refused.</param>
/// <param name="NeedsAdmission">Whether the application must first decide to admit the peer.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct ZmtpMechanismStep(int Written, bool Done, ZmtpError Error, bool NeedsAdmission = false)
{
    internal static ZmtpMechanismStep Refuse(ZmtpError error) => new(Written: 0, Done: false, error);

    internal static ZmtpMechanismStep Ask() => new(Written: 0, Done: false, ZmtpError.None, NeedsAdmission: true);
}

using System.Runtime.InteropServices;

namespace Broker.ZeroMq.Zmtp.Handshake;

/// <summary>What a mechanism did with a command.</summary>
/// <param name="Written">Octets written to the output.</param>
/// <param name="Done">The mechanism's part of the handshake is over.</param>
/// <param name="Error">Why the peer must be refused.</param>
[StructLayout(LayoutKind.Auto)]
public readonly record struct ZmtpMechanismStep(int Written, bool Done, ZmtpError Error);

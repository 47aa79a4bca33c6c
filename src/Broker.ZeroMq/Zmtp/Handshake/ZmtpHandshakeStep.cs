using System.Runtime.InteropServices;

namespace Broker.ZeroMq.Zmtp.Handshake;

/// <summary>What a call of <see cref="ZmtpHandshake.Advance"/> did.</summary>
/// <param name="Consumed">Octets of the input that are done with; what follows them in state Active is traffic.</param>
/// <param name="Needed">Octets the next input must have before another call can achieve anything; 0 once Active or Failed.</param>
/// <param name="Written">Octets written to the output, to be sent in every state (a failure may come with an ERROR command).</param>
/// <param name="State">The state now.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct ZmtpHandshakeStep(int Consumed, int Needed, int Written, ZmtpHandshakeState State);

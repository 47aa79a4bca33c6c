using System.Runtime.InteropServices;

namespace Broker.ZeroMq;

/// <summary>The result of a call of <see cref="ZmtpHandshake.Advance"/>.</summary>
/// <param name="Consumed">
/// The number of octets of the input that were consumed. In state Active, the octets after them are input for the
/// decoder.
/// </param>
/// <param name="Needed">
/// The length that the next input must have before another call can make progress; 0 once Active or Failed.
/// </param>
/// <param name="Written">
/// The number of octets that were written to the output. Send these octets in every state, because a failure may come
/// with an ERROR command.
/// </param>
/// <param name="State">The current state.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct ZmtpHandshakeStep(int Consumed, int Needed, int Written, ZmtpHandshakeState State);

using System.Runtime.InteropServices;

namespace Broker.ZeroMq.Zmtp.Framing;

/// <summary>What a call of <see cref="ZmtpDecoder.Decode"/> did.</summary>
/// <param name="Consumed">Octets from the start of the input that are done with. The next input must begin right after them.</param>
/// <param name="Needed">
/// How many octets the next input must have, counted from its start, before another call can achieve anything; 0 after a pause or an
/// error. Never above <see cref="ZmtpLimits.MaxPendingBytes"/>.
/// </param>
/// <param name="Error">Why the connection must be closed, or <see cref="ZmtpError.None"/>.</param>
/// <param name="Paused">The handler asked for a pause or held something back; octets may be left that are worth another call.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct ZmtpDecodeResult(int Consumed, int Needed, ZmtpError Error, bool Paused);

using System.Runtime.InteropServices;

namespace Broker.ZeroMq;

/// <summary>The result of a call of <see cref="ZmtpDecoder.Decode"/>.</summary>
/// <param name="Consumed">
/// The number of octets at the start of the input that were consumed. The next input must begin right after these
/// octets.
/// </param>
/// <param name="Needed">
/// The length that the next input must have before another call can make progress; 0 after a pause or an error. It is
/// never above <see cref="ZmtpLimits.MaxPendingBytes"/>.
/// </param>
/// <param name="Error">Why the connection must be closed, or <see cref="ZmtpError.None"/>.</param>
/// <param name="Paused">
/// Whether the handler asked for a pause, or refused a message for now. The rest of the input may contain complete
/// messages.
/// </param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct ZmtpDecodeResult(int Consumed, int Needed, ZmtpError Error, bool Paused);

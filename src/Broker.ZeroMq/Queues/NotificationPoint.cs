using System.Runtime.InteropServices;

namespace Broker.ZeroMq;

/// <summary>The point at which a writer of a <see cref="SendQueue"/> notifies the reader.</summary>
/// <param name="Messages">The total number of messages that were written up to this point.</param>
/// <param name="Bytes">The total number of bytes that were written up to this point.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct NotificationPoint(long Messages, long Bytes);

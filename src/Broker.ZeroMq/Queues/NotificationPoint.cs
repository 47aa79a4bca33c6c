using System.Runtime.InteropServices;

namespace Broker.ZeroMq;

/// <summary>The point at which a writer of a <see cref="SendQueue"/> notifies the reader.</summary>
/// <param name="Messages">The number of all written messages at that point.</param>
/// <param name="Bytes">The number of all written bytes at that point.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct NotificationPoint(long Messages, long Bytes);

using System.Runtime.InteropServices;

namespace Broker.Transport;

/// <summary>
/// The kernel's layout of an <c>epoll_event</c>: 4 bytes of flags and 8 bytes of data. Only on x86-64 is it packed.
/// </summary>
internal static class EpollLayout
{
    internal static int EventSize { get; } = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 12 : 16;

    internal static int DataOffset => EventSize - 8;

    /// <summary>
    /// Whether the constants of the C library in <see cref="LibC"/> are valid for this processor architecture.
    /// </summary>
    internal static bool IsKnown(Architecture architecture)
        => architecture is Architecture.X64 or Architecture.Arm64 or Architecture.RiscV64 or Architecture.LoongArch64;
}

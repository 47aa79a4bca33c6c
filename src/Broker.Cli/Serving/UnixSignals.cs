using System.Runtime.InteropServices;

namespace Broker.Cli.Serving;

/// <summary>The numbers of signals, which differ between Linux and the systems of BSD's family, and the call that sends one.</summary>
internal static partial class UnixSignals
{
    public const int HangUp = 1;
    public const int Interrupt = 2;
    public const int Terminate = 15;

    public static int User1 => OperatingSystem.IsLinux() ? 10 : 30;

    public static int User2 => OperatingSystem.IsLinux() ? 12 : 31;

    /// <summary>Null when it was sent, else why not.</summary>
    public static string? Send(int process, int signal) =>
        Kill(process, signal) == 0 ? null : Marshal.GetPInvokeErrorMessage(Marshal.GetLastPInvokeError());

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int Kill(int process, int signal);
}

using System.Globalization;
using System.Runtime.InteropServices;

namespace Broker.Cli.Serving;

/// <summary>The numbers of signals, which differ between Linux and the systems of BSD's family, and the calls that concern them.</summary>
internal static partial class UnixSignals
{
    public const int HangUp = 1;
    public const int Interrupt = 2;
    public const int Quit = 3;
    public const int Terminate = 15;
    public const int FileSizeExceeded = 25;

    private const nint ByDefault = 0;

    public static int User1 => OperatingSystem.IsLinux() ? 10 : 30;

    public static int User2 => OperatingSystem.IsLinux() ? 12 : 31;

    /// <summary>Null when it was sent, else why not.</summary>
    public static string? Send(int process, int signal) =>
        Kill(process, signal) == 0 ? null : Marshal.GetPInvokeErrorMessage(Marshal.GetLastPInvokeError());

    /// <summary>
    /// Gives those that this process inherited as ignored their default, without which the runtime installs no handler. Those that
    /// have a handler are left alone. Elsewhere than on Linux nothing is known of it, and nothing done.
    /// </summary>
    public static void Unignore(params ReadOnlySpan<int> signals)
    {
        ulong ignored = OperatingSystem.IsLinux() ? Ignored() : 0;
        foreach (int signal in signals)
        {
            if ((ignored >> (signal - 1) & 1) != 0)
            {
                _ = SetHandler(signal, ByDefault);
            }
        }
    }

    // A mask in which bit 0 stands for signal 1.
    private static ulong Ignored()
    {
        const string Key = "SigIgn:";
        try
        {
            string? line = File.ReadLines("/proc/self/status").FirstOrDefault(static l => l.StartsWith(Key, StringComparison.Ordinal));
            return line is not null
                && ulong.TryParse(line.AsSpan(Key.Length).Trim(), NumberStyles.HexNumber, CultureInfo.InvariantCulture, out ulong mask)
                ? mask
                : 0;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // Without /proc signals stay as they were found.
            return 0;
        }
    }

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int Kill(int process, int signal);

    [LibraryImport("libc", EntryPoint = "signal", SetLastError = true)]
    private static partial nint SetHandler(int signal, nint handler);
}

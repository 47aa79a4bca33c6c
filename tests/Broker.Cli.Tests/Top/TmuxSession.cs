using System.Globalization;

namespace Broker.Cli.Tests.Top;

/// <summary>A command in a real terminal of a given size, which tmux draws. The test reads the screen and presses keys.</summary>
internal sealed class TmuxSession : IAsyncDisposable
{
    private const string Name = "test";

    private readonly string _program = Programs.Require("tmux");
    private readonly string _server = $"broker-{Guid.NewGuid():N}";

    /// <summary>Starts a command. The session continues after its end, with a line that has the exit code.</summary>
    public static async Task<TmuxSession> StartAsync(int width, int height, params string[] command)
    {
        var session = new TmuxSession();
        string line = string.Join(' ', command.Select(static word => $"'{word}'"));
        await session.RunAsync(
            "-f", "/dev/null", "new-session", "-d", "-s", Name,
            "-x", width.ToString(CultureInfo.InvariantCulture), "-y", height.ToString(CultureInfo.InvariantCulture),
            $"echo before; LANG=C.UTF-8 {line}; echo ended with $?; sleep 1000");
        return session;
    }

    /// <summary>Returns the lines of the screen, without spaces at their ends.</summary>
    public async Task<string[]> ReadAsync()
    {
        (_, string text) = await RunAsync("capture-pane", "-p", "-t", Name);
        return [.. text.Split('\n').Select(static line => line.TrimEnd())];
    }

    /// <summary>
    /// Waits until the screen contains all texts, and returns its lines. A moment earlier, it may be drawn only in part.
    /// </summary>
    public async Task<string[]> ShownAsync(params string[] texts)
    {
        string[] screen = [];
        await Wait.UntilAsync(
            async () =>
            {
                screen = await ReadAsync();
                return Array.TrueForAll(texts, text => Array.Exists(screen, line => line.Contains(text, StringComparison.Ordinal)));
            },
            () => $"waited in vain for \"{string.Join("\", \"", texts)}\" in:\n{string.Join('\n', screen)}");
        return screen;
    }

    public Task PressAsync(string key) => RunAsync("send-keys", "-t", Name, key);

    public async ValueTask DisposeAsync() => await RunAsync("kill-server");

    private Task<(int ExitCode, string Text)> RunAsync(params string[] arguments)
        => Programs.RunAsync(_program, null, ["-u", "-L", _server, .. arguments]);
}

using System.IO.Pipes;
using Broker.Cli.Logging;

namespace Broker.Cli.Tests.Logging;

public sealed class LogFileTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private string Log => Path.Combine(_folder.Path, "log");

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Lines_are_appended_to_what_is_there()
    {
        _folder.Write("log", "before\n");
        using (var file = new LogFile(Log))
        {
            file.WriteLine("one");
            file.WriteLine("two");
        }

        Assert.Equal(["before", "one", "two"], File.ReadAllLines(Log));
    }

    [Fact]
    public void A_file_that_is_cut_short_while_it_is_written_goes_on_at_its_new_end()
    {
        using var file = new LogFile(Log);
        file.WriteLine(new string('x', 10_000));
        using (var rotating = new FileStream(Log, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            rotating.SetLength(0);
        }

        file.WriteLine("after");

        Assert.Equal("after" + Environment.NewLine, File.ReadAllText(Log));
    }

    [Fact]
    public void A_file_that_two_write_to_loses_nothing()
    {
        using var file = new LogFile(Log);
        using var other = new LogFile(Log);
        file.WriteLine("one");
        other.WriteLine("two");
        file.WriteLine("three");

        Assert.Equal(["one", "two", "three"], File.ReadAllLines(Log));
    }

    [Fact]
    public void Lines_arrive_in_a_pipe()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has a path for an open pipe.");
        using var pipe = new AnonymousPipeServerStream(PipeDirection.In);
        string path = $"/proc/self/fd/{pipe.ClientSafePipeHandle.DangerousGetHandle()}";
        using (var file = new LogFile(path))
        {
            file.WriteLine("one");
            file.Reopen(path);
            file.WriteLine("two");
        }

        pipe.DisposeLocalCopyOfClientHandle();
        using var reader = new StreamReader(pipe);
        Assert.Equal(["one", "two", ""], reader.ReadToEnd().Split(Environment.NewLine));
    }

    [Fact]
    public void A_line_after_the_end_of_a_pipe_fails_and_does_not_end_the_process()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has a path for an open pipe.");
        var pipe = new AnonymousPipeServerStream(PipeDirection.In);
        using var file = new LogFile($"/proc/self/fd/{pipe.ClientSafePipeHandle.DangerousGetHandle()}");
        pipe.Dispose();

        Assert.ThrowsAny<IOException>(() => file.WriteLine("lost"));
    }

    [Fact]
    public void A_file_above_its_limit_is_renamed_and_the_oldest_renamed_ones_are_deleted()
    {
        _folder.Write("log.note", "another file");
        _folder.Write("log.2026.11.27.21.51.44.9.gz", "another file");
        using (var file = new LogFile(Log, static text => "[info] " + text) { Rotation = new LogRotation(100, 3) })
        {
            for (int i = 0; i < 40; i++)
            {
                file.WriteLine($"line {i:00} {new string('x', 30)}");
            }
        }

        string[] renamed = [.. Directory.GetFiles(_folder.Path, "log.2*").Where(static f => !f.EndsWith(".gz", StringComparison.Ordinal)).Order(StringComparer.Ordinal)];
        Assert.Equal(2, renamed.Length);
        Assert.All(renamed, static file => Assert.Matches(@"log\.\d{4}(\.\d\d){5}\.\d{9}$", file));
        string[] lines = [.. renamed.Append(Log).SelectMany(File.ReadAllLines)];
        // Consecutive lines up to the last one.
        int[] kept = [.. lines.Where(static l => l.StartsWith("line ", StringComparison.Ordinal)).Select(static l => int.Parse(l[5..7], System.Globalization.CultureInfo.InvariantCulture))];
        Assert.Equal(Enumerable.Range(kept[0], 40 - kept[0]), kept);
        Assert.Contains($"[info] Rotated log, backup saved as \"{renamed[1]}\"", lines);
        Assert.Contains(lines, static line => line.StartsWith("[info] Purged log file \"log.2", StringComparison.Ordinal));
        Assert.True(File.Exists(Log + ".note") && File.Exists(Log + ".2026.11.27.21.51.44.9.gz"));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1_000_000)]
    public void A_file_below_its_limit_or_without_one_is_not_renamed(long limit)
    {
        using var file = new LogFile(Log) { Rotation = new LogRotation(limit, 2) };
        for (int i = 0; i < 100; i++)
        {
            file.WriteLine(new string('x', 100));
        }

        Assert.Equal([Log], Directory.GetFiles(_folder.Path));
    }

    [Fact]
    public void A_link_is_not_renamed()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Links need a privilege.");
        string link = Path.Combine(_folder.Path, "link");
        _folder.Write("log", "");
        File.CreateSymbolicLink(link, Log);
        using var file = new LogFile(link) { Rotation = new LogRotation(1000, 0) };
        for (int i = 0; i < 15; i++)
        {
            file.WriteLine(new string('x', 100));
        }

        Assert.Equal(2, Directory.GetFiles(_folder.Path).Length);
        Assert.Single(File.ReadAllLines(Log), static line => line.Contains("could not be rotated", StringComparison.Ordinal));
    }

    [Fact]
    public void A_limit_may_change_while_the_file_is_written()
    {
        using var file = new LogFile(Log);
        file.WriteLine(new string('x', 1000));
        file.Rotation = new LogRotation(10, 0);
        file.WriteLine("two");
        file.WriteLine("three");

        Assert.Equal(3, Directory.GetFiles(_folder.Path).Length);
    }

    [Fact]
    public void A_file_that_cannot_be_renamed_goes_on_and_says_so_once()
    {
        Assert.SkipWhen(Environment.IsPrivilegedProcess, "This user may rename every file.");
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("Windows has no modes of folders.");
            return;
        }

        using var file = new LogFile(Log) { Rotation = new LogRotation(10_000, 0) };
        File.SetUnixFileMode(_folder.Path, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        for (int i = 0; i < 150; i++)
        {
            file.WriteLine(new string('x', 100));
        }

        File.SetUnixFileMode(_folder.Path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        string[] lines = File.ReadAllLines(Log);
        Assert.Equal((151, 1), (lines.Length, lines.Count(static l => l.StartsWith("The log could not be rotated: ", StringComparison.Ordinal))));
    }
}

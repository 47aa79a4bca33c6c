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
}

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
}

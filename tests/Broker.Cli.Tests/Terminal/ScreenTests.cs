using Broker.Cli.Terminal;

namespace Broker.Cli.Tests.Terminal;

public sealed class ScreenTests
{
    private const string Clear = "\r\u001b[K";

    [Fact]
    public void A_line_appears_above_the_status_on_a_terminal()
    {
        using var both = new StringWriter { NewLine = "\n" };
        var screen = new Screen(both, both, isTerminal: true, static () => 80);

        screen.ShowStatus("1 client");
        screen.WriteErrorLine("a log line");
        screen.ShowStatus("2 clients");
        screen.EndStatus();
        screen.WriteLine("stopping");

        Assert.Equal($"{Clear}1 client{Clear}a log line\n1 client{Clear}2 clients\nstopping\n", both.ToString());
    }

    [Fact]
    public void A_status_never_wraps()
    {
        using var output = new StringWriter();
        new Screen(output, output, isTerminal: true, static () => 5).ShowStatus("0123456789");

        Assert.Equal(Clear + "0123", output.ToString());
    }

    [Fact]
    public void Without_a_terminal_a_status_is_a_plain_line()
    {
        using var output = new StringWriter { NewLine = "\n" };
        var screen = new Screen(output, output, isTerminal: false, static () => throw new InvalidOperationException("no width"));

        screen.ShowStatus("1 client");
        screen.EndStatus();

        Assert.Equal("1 client\n", output.ToString());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void An_output_that_fails_throws_nothing_and_is_told_later_what_it_missed(bool isTerminal)
    {
        using var output = new FailingWriter { NewLine = "\n" };
        var screen = new Screen(output, output, isTerminal, static () => 80);
        output.Fails = true;

        screen.WriteLine("one");
        screen.WriteLine("two");
        screen.EndStatus();
        output.Fails = false;
        screen.WriteLine("three");

        Assert.Equal("broker: 2 lines were lost, because this output could not be written: No space left on device\nthree\n", output.ToString());
    }

    [Fact]
    public void A_status_that_cannot_be_shown_is_no_loss()
    {
        using var output = new FailingWriter { NewLine = "\n", Fails = true };
        var screen = new Screen(output, output, isTerminal: true, static () => 80);

        screen.ShowStatus("1 client");
        output.Fails = false;
        screen.ShowStatus("2 clients");
        screen.EndStatus();

        Assert.Equal($"{Clear}2 clients{Environment.NewLine}", output.ToString());
    }

    [Fact]
    public async Task Redirected_outputs_do_not_hold_each_other()
    {
        using var stall = new ManualResetEventSlim();
        using var output = new FailingWriter { Stall = stall };
        using var error = new StringWriter { NewLine = "\n" };
        var screen = new Screen(output, error, isTerminal: false, static () => 80);
        var stalled = Task.Run(() => screen.WriteLine("one"), TestContext.Current.CancellationToken);
        output.Stalled.Wait(TestContext.Current.CancellationToken);

        screen.WriteErrorLine("two");

        Assert.Equal("two\n", error.ToString());
        stall.Set();
        await stalled;
    }

    private sealed class FailingWriter : StringWriter
    {
        public bool Fails { get; set; }

        public ManualResetEventSlim? Stall { get; init; }

        public ManualResetEventSlim Stalled { get; } = new();

        public override void Write(string? value)
        {
            Stalled.Set();
            Stall?.Wait(CancellationToken.None);
            if (Fails)
            {
                throw new IOException("No space left on device");
            }

            base.Write(value);
        }

        protected override void Dispose(bool disposing)
        {
            Stalled.Dispose();
            base.Dispose(disposing);
        }
    }
}

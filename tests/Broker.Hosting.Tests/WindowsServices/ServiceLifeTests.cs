using System.Globalization;

namespace Broker.Hosting.Tests.WindowsServices;

/// <summary>Sends each control of Windows to the state machine, also those that Wine never sends.</summary>
public sealed class ServiceLifeTests
{
    private readonly List<ServiceStatus> _reported = [];
    private readonly List<ServiceRequest> _asked = [];
    private readonly ServiceLife _life;

    public ServiceLifeTests() => _life = new ServiceLife(_reported.Add, _asked.Add);

    [Theory]
    [InlineData(ServiceLife.ControlStop)]
    [InlineData(ServiceLife.ControlShutdown)]
    [InlineData(ServiceLife.ControlPreShutdown)]
    public void Whoever_ends_it_is_told_at_once_that_it_stops_and_it_is_asked_once(uint control)
    {
        _life.Starting();
        _life.Running();

        Assert.Equal(0u, _life.Handle(control));
        Assert.Equal(0u, _life.Handle(ServiceLife.ControlStop));

        Assert.Equal([ServiceState.StartPending, ServiceState.Running, ServiceState.StopPending], _reported.Select(s => s.State));
        Assert.Equal([ServiceRequest.Stop], _asked);
    }

    [Fact]
    public void A_running_one_takes_every_control_that_it_knows_and_one_that_stops_takes_none()
    {
        _life.Starting();
        _life.Running();
        _life.Handle(ServiceLife.ControlPreShutdown);

        Assert.Equal(
            [0u, ServiceLife.AcceptStop | ServiceLife.AcceptShutdown | ServiceLife.AcceptPreShutdown | ServiceLife.AcceptParamChange, 0u],
            _reported.Select(s => s.Accepted));
    }

    [Fact]
    public void Each_word_of_a_long_stop_is_a_checkpoint_further()
    {
        _life.Starting();
        _life.Running();
        _life.Handle(ServiceLife.ControlStop);
        _life.Stopping();
        _life.Stopping();

        Assert.Equal([1u, 0u, 1u, 2u, 3u], _reported.Select(s => s.CheckPoint));
        Assert.All(_reported.Where(s => s.State == ServiceState.StopPending), s => Assert.True(s.WaitHint >= 10_000));
    }

    [Fact]
    public void ParamChange_reloads_and_goes_on_serving()
    {
        _life.Running();

        Assert.Equal(0u, _life.Handle(ServiceLife.ControlParamChange));

        Assert.Equal([ServiceRequest.Reload], _asked);
        Assert.Equal([ServiceState.Running], _reported.Select(s => s.State));
    }

    [Fact]
    public void Interrogate_is_told_the_last_word_again()
    {
        _life.Starting();
        _life.Running();

        Assert.Equal(0u, _life.Handle(ServiceLife.ControlInterrogate));

        Assert.Equal(_reported[^2], _reported[^1]);
    }

    [Fact]
    public void A_control_that_it_does_not_know_is_refused()
        => Assert.Equal(ServiceLife.NotImplemented, _life.Handle(0x80));

    [Fact]
    public void A_failure_has_the_exit_code_that_recovery_goes_by()
    {
        _life.Starting();
        _life.Stopped(1);

        Assert.Equal((ServiceState.Stopped, ServiceLife.SpecificError, 1u), (_reported[^1].State, _reported[^1].ExitCode, _reported[^1].SpecificExitCode));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(0)]
    public async Task The_page_about_Windows_explains_both_codes_of_a_stopped_service(int exitCode)
    {
        string page = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "docs", "windows.md"), TestContext.Current.CancellationToken);

        _life.Running();
        _life.Stopped(exitCode);

        Assert.Contains(string.Create(CultureInfo.InvariantCulture, $"\n| {_reported[^1].ExitCode} | {_reported[^1].SpecificExitCode} | "), page, StringComparison.Ordinal);
    }

    [Fact]
    public void A_stop_that_was_asked_for_is_no_failure_whatever_it_has_lost()
    {
        _life.Running();
        _life.Handle(ServiceLife.ControlStop);
        _life.Stopped(3);

        Assert.Equal((ServiceState.Stopped, 0u, 0u), (_reported[^1].State, _reported[^1].ExitCode, _reported[^1].SpecificExitCode));
    }

    [Fact]
    public void Nothing_is_said_after_the_last_word_and_a_stop_is_not_taken_back()
    {
        _life.Running();
        _life.Handle(ServiceLife.ControlStop);
        _life.Running();
        _life.Stopped(0);
        _life.Stopping();
        _life.Stopped(1);

        Assert.Equal([ServiceState.Running, ServiceState.StopPending, ServiceState.Stopped], _reported.Select(s => s.State));
    }
}

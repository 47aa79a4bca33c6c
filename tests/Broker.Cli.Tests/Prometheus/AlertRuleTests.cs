namespace Broker.Cli.Tests.Prometheus;

/// <summary>The alert rules and their tests, as promtool runs them.</summary>
public sealed class AlertRuleTests
{
    [Fact]
    public async Task Promtool_has_no_objection_to_the_rules()
    {
        (int exitCode, string text) = await Programs.RunAsync(
            Programs.Require("promtool"), null, "check", "rules", "--lint-fatal", Path.Combine(AlertRules.Folder, "broker.rules.yml"));

        Assert.True(exitCode == 0, text);
    }

    [Fact]
    public async Task The_tests_of_the_rules_pass()
    {
        (int exitCode, string text) = await Programs.RunAsync(
            Programs.Require("promtool"), null, "test", "rules", Path.Combine(AlertRules.Folder, "broker.rules.test.yml"));

        Assert.True(exitCode == 0, text);
    }

    [Fact]
    public void Each_rule_has_a_test_in_which_it_fires_and_one_in_which_it_does_not()
    {
        string tests = File.ReadAllText(Path.Combine(AlertRules.Folder, "broker.rules.test.yml"));

        Assert.True(AlertRules.Names.Length >= 10);
        Assert.All(AlertRules.Names, name => Assert.Contains($"{{ eval_time: 35m, alertname: {name} }}", tests, StringComparison.Ordinal));
        Assert.All(AlertRules.Names, name => Assert.Contains($"alertname: {name}\n        exp_alerts:\n          - exp_labels:", tests, StringComparison.Ordinal));
    }
}

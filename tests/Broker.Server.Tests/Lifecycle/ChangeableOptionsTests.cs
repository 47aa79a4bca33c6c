using System.Reflection;
using System.Runtime.CompilerServices;

namespace Broker.Server.Tests.Lifecycle;

/// <summary>A new option that is not copied would be lost at a reload without any error.</summary>
public sealed class ChangeableOptionsTests
{
    private static readonly string[] Fixed =
        [nameof(BrokerServerOptions.ServerName), nameof(BrokerServerOptions.Loops), nameof(BrokerServerOptions.LoopOptions), nameof(BrokerServerOptions.Logger)];

    public static TheoryData<string> Settable => [.. Properties.Select(static p => p.Name)];

    private static IEnumerable<PropertyInfo> Properties
        => typeof(BrokerServerOptions).GetProperties().Where(static p => p.CanWrite && !Fixed.Contains(p.Name, StringComparer.Ordinal));

    [Theory]
    [MemberData(nameof(Settable))]
    public void Every_changeable_option_is_copied(string name)
    {
        PropertyInfo property = Properties.Single(p => p.Name == name);
        var other = new BrokerServerOptions();
        property.SetValue(other, Other(property.PropertyType, property.GetValue(other)));
        var taken = new BrokerServerOptions();
        Assert.NotEqual(property.GetValue(other), property.GetValue(taken));

        taken.CopyChangeableFrom(other);

        Assert.Equal(property.GetValue(other), property.GetValue(taken));
    }

    [Fact]
    public void A_fixed_option_is_not_copied()
    {
        BrokerServerOptions other = new BrokerServerOptions { ServerName = "other" }.Listen(1);
        BrokerServerOptions taken = new BrokerServerOptions { ServerName = "one" }.Listen(2);

        taken.CopyChangeableFrom(other);

        Assert.Equal("one", taken.ServerName);
        Assert.Equal("127.0.0.1:2", Assert.Single(taken.EndPoints).ToString());
    }

    // The test only compares values; their meaning does not matter.
    private static object Other(Type type, object? present) => present switch
    {
        bool flag => !flag,
        int number => number + 1,
        long number => number + 1,
        TimeSpan time => time + TimeSpan.FromSeconds(1),
        Enum value => Enum.GetValues(type).Cast<object>().First(v => !v.Equals(value)),
        IReadOnlyList<string> => new[] { "a" },
        IReadOnlyList<SubjectMapping> => new[] { new SubjectMapping("a", "b") },
        IReadOnlyList<User> => new[] { new User("a", "b") },
        IReadOnlyList<AccountOptions> => new[] { (AccountOptions)RuntimeHelpers.GetUninitializedObject(typeof(AccountOptions)) },
        _ when type == typeof(string) => "a",
        _ when type == typeof(Func<AuthorizationRequest, AuthorizationResult>)
            => (Func<AuthorizationRequest, AuthorizationResult>)(static _ => throw new NotSupportedException()),
        _ when type == typeof(Func<AuthorizationRequest, ValueTask<AuthorizationResult>>)
            => (Func<AuthorizationRequest, ValueTask<AuthorizationResult>>)(static _ => throw new NotSupportedException()),
        _ when type == typeof(Func<IServerKeys>) => (Func<IServerKeys>)(static () => throw new NotSupportedException()),
        _ when type.IsInterface => typeof(DispatchProxy).GetMethod(nameof(DispatchProxy.Create), 2, [])!.MakeGenericMethod(type, typeof(Nobody)).Invoke(null, null)!,
        _ => RuntimeHelpers.GetUninitializedObject(type),
    };

    public class Nobody : DispatchProxy
    {
        protected override object? Invoke(MethodInfo? targetMethod, object?[]? args) => targetMethod?.Name == nameof(Equals) ? ReferenceEquals(this, args![0]) : null;
    }
}

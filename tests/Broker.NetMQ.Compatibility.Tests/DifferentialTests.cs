using Mono.Cecil;

namespace Broker.NetMQ.Compatibility.Tests;

/// <summary>The same source sees the same on NetMQ and on our package.</summary>
public sealed class DifferentialTests(CasePrograms programs) : IClassFixture<CasePrograms>
{
    public static TheoryData<string> Names
    {
        get
        {
            using var program = AssemblyDefinition.ReadAssembly(Path.Combine(CasePrograms.RealFolder, "netmq-cases-real.dll"));
            return
            [
                .. program.MainModule.Types.Where(type => type.Name.EndsWith("Cases", StringComparison.Ordinal))
                    .SelectMany(type => type.Methods).Where(method => method.IsPublic && method.IsStatic)
                    .Select(method => method.Name),
            ];
        }
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void A_case_sees_the_same_on_both(string name)
    {
        Assert.NotEmpty(programs.Real[name]);
        Assert.Equal(programs.Real[name], programs.Ours[name]);
    }
}

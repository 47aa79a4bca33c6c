using Mono.Cecil;
using Mono.Cecil.Rocks;

namespace Broker.Structure.Tests;

public sealed class StateTests
{
    public static TheoryData<string> Projects => Assemblies.Names;

    // A buffer of a thread has no owner: its memory is never released, and it is wrong as soon as a call nests.
    [Theory]
    [MemberData(nameof(Projects))]
    public void No_thread_static_field_holds_an_object(string project)
        => Assert.Empty(Assemblies.Read(project).MainModule.GetAllTypes().SelectMany(static type => type.Fields).Where(IsThreadStatic).Where(HoldsObject).Select(static field => field.FullName));

    [Fact]
    public void A_thread_static_flag_is_found()
        => Assert.Contains(Assemblies.Read("Broker.Transport").MainModule.GetAllTypes().SelectMany(static type => type.Fields), IsThreadStatic);

    private static bool IsThreadStatic(FieldDefinition field) => field.CustomAttributes.Any(static a => a.AttributeType.Name == nameof(ThreadStaticAttribute));

    private static bool HoldsObject(FieldDefinition field) => !field.FieldType.IsValueType;
}
